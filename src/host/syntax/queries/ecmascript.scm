[(function_declaration name: (identifier) @name parameters: (formal_parameters) @parameters)
 (generator_function_declaration name: (identifier) @name parameters: (formal_parameters) @parameters)
 (method_definition name: (_) @name parameters: (formal_parameters) @parameters)] @code
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function) (class)]) @code
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @code
(assignment_expression left: [(identifier) (member_expression)] @name right: [(arrow_function) (function_expression) (generator_function)]) @code
(export_statement value: [(arrow_function) (function_expression) (generator_function) (class)] @default)
(program (lexical_declaration (variable_declarator name: (identifier) @name) @data))
(program (variable_declaration (variable_declarator name: (identifier) @name) @data))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @data)))
(export_statement declaration: (_) @wrapped) @wrap
(export_statement value: (_) @wrapped) @wrap
(lexical_declaration (variable_declarator) @wrapped) @wrap
(variable_declaration (variable_declarator) @wrapped) @wrap
(expression_statement (assignment_expression) @wrapped) @wrap
(comment) @comment
(decorator) @attribute
