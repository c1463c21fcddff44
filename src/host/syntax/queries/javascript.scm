(class_declaration name: (_) @name) @code
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @code
(field_definition property: (_) @name) @data
