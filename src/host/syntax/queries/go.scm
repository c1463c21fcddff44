(function_declaration name: (identifier) @name parameters: (parameter_list) @parameters) @code
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (generic_type type: (type_identifier) @owner)
    (pointer_type [(type_identifier) @owner (generic_type type: (type_identifier) @owner)])
  ]))
  name: (field_identifier) @name parameters: (parameter_list) @parameters) @code
(type_spec name: (type_identifier) @name) @code
(type_alias name: (type_identifier) @name) @code
(method_elem name: (field_identifier) @name parameters: (parameter_list) @parameters) @code
(short_var_declaration left: (expression_list . (identifier) @name .) right: (expression_list . (func_literal) .)) @code
(var_spec name: (identifier) @name value: (expression_list . (func_literal) .)) @code
(source_file (const_declaration (const_spec name: (identifier) @name) @data))
(source_file (var_declaration (var_spec name: (identifier) @name) @data))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @data)))
(field_declaration name: (field_identifier) @name) @data
(type_declaration [(type_spec) (type_alias)] @wrapped) @wrap
(const_declaration (const_spec) @wrapped) @wrap
(var_declaration (var_spec) @wrapped) @wrap
(comment) @comment
