/** The cache key of a task whose answer may depend on any member of its request; `context` is echoed by the transport, never read. */
export function wholeRequest(request: { readonly context?: unknown }): string {
  const { context: _echoed, ...read } = request
  return JSON.stringify(read)
}
