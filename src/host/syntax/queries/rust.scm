[(function_item name: (identifier) @name parameters: (parameters) @parameters)
 (function_signature_item name: (identifier) @name parameters: (parameters) @parameters)] @code
[(struct_item name: (type_identifier) @name)
 (enum_item name: (type_identifier) @name)
 (union_item name: (type_identifier) @name)
 (trait_item name: (type_identifier) @name)
 (type_item name: (type_identifier) @name)
 (mod_item name: (identifier) @name)
 (macro_definition name: (identifier) @name)] @code
(impl_item trait: (_) @implements type: (_) @name) @impl
(impl_item !trait type: (_) @name) @impl
(let_declaration pattern: (identifier) @name value: (closure_expression parameters: (closure_parameters) @parameters)) @code
[(const_item name: (identifier) @name)
 (static_item name: (identifier) @name)
 (field_declaration name: (field_identifier) @name)
 (enum_variant name: (identifier) @name)] @data
[(line_comment) (block_comment)] @comment
(attribute_item) @attribute
