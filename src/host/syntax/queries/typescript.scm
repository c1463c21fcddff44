[(class_declaration name: (_) @name)
 (abstract_class_declaration name: (_) @name)
 (interface_declaration name: (_) @name)
 (type_alias_declaration name: (_) @name)
 (enum_declaration name: (_) @name)
 (internal_module name: (_) @name)
 (module name: (_) @name)] @code
[(function_signature name: (_) @name parameters: (formal_parameters) @parameters)
 (method_signature name: (_) @name parameters: (formal_parameters) @parameters)
 (abstract_method_signature name: (_) @name parameters: (formal_parameters) @parameters)] @code
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @code
[(public_field_definition name: (_) @name)
 (property_signature name: (_) @name)
 (enum_assignment name: (_) @name)] @data
(enum_body name: (_) @name @data)
(ambient_declaration (_) @wrapped) @wrap
(expression_statement (internal_module) @wrapped) @wrap
