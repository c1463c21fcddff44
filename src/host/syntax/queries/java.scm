[(class_declaration name: (identifier) @name)
 (interface_declaration name: (identifier) @name)
 (enum_declaration name: (identifier) @name)
 (annotation_type_declaration name: (identifier) @name)
 (annotation_type_element_declaration name: (identifier) @name)
 (compact_constructor_declaration name: (identifier) @name)] @code
[(record_declaration name: (identifier) @name parameters: (formal_parameters) @parameters)
 (method_declaration name: (identifier) @name parameters: (formal_parameters) @parameters)
 (constructor_declaration name: (identifier) @name parameters: (formal_parameters) @parameters)] @code
(field_declaration declarator: (variable_declarator name: (identifier) @name) @data)
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @data)
(field_declaration declarator: (variable_declarator) @wrapped) @wrap
(constant_declaration declarator: (variable_declarator) @wrapped) @wrap
(enum_constant name: (identifier) @name) @data
[(line_comment) (block_comment)] @comment
