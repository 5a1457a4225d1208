export type Recovery = 'transient' | 'correctable' | 'terminal'

/** What the official manifest says of one tool. Schema paths are relative to the release's schema folder. */
export interface ManifestTool {
  readonly protocol: string
  readonly mutating: boolean
  readonly request_schema: string
  readonly response_schema: string
  readonly async_response_schemas?: readonly string[]
  readonly specialisms?: readonly string[]
}

/** The official manifest of one release: every tool, its schemas, and every error code with its recovery class. */
export interface Manifest {
  readonly adcp_version: string
  readonly tools: Readonly<Record<string, ManifestTool>>
  readonly error_codes: Readonly<Record<string, { recovery: Recovery; description: string; suggestion?: string }>>
  readonly specialisms: Readonly<Record<string, { protocol: string; title: string; exercised_tools: readonly string[] }>>
}
