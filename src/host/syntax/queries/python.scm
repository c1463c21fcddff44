(class_definition name: (identifier) @name) @code
(function_definition name: (identifier) @name parameters: (parameters) @parameters) @code
(assignment left: (identifier) @name right: (lambda)) @code
(decorated_definition definition: (_) @wrapped) @wrap
(module (expression_statement (assignment left: (identifier) @name) @data))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @data)))
(comment) @comment
