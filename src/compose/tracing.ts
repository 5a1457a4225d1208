import { validateHeaderValue } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { CallSpans } from '../pipeline/call-spans.ts'
import type { SafePost } from '../platform/net/safe-post.ts'
import type { Handler } from '../platform/tracing/http-spans.ts'
import { AdcpError } from '../protocol/errors.ts'

/** Spans of what this process does, sent to the collector that the configuration names. */
export interface Tracing {
  /** For the pipeline. */
  readonly calls: CallSpans
  /** For a transport of plain HTTP; `template` names the route. */
  handler<Rest extends unknown[]>(template: string, handle: Handler<Rest>): Handler<Rest>
  /** For what is sent to others. */
  post(post: SafePost): SafePost
  /** Sends the spans in the queue, for a second at most. */
  close(): Promise<void>
}

/** Starts tracing when there is a collector; nothing of OpenTelemetry is loaded otherwise. Throws CONFIGURATION_ERROR. */
export async function startTracing({ tracing }: Pick<Config, 'tracing'>, log: Logger): Promise<Tracing | undefined> {
  const { endpoint } = tracing
  if (endpoint === undefined) return undefined
  if (!URL.canParse(endpoint))
    throw new AdcpError('CONFIGURATION_ERROR', 'tracing.endpoint is not a URL', { field: 'tracing.endpoint' })
  const { createTracing } = await import('./tracing-provider.ts')
  return createTracing({ ...tracing, endpoint, headers: headersOf(tracing.headers) }, log)
}

/** `name=value` as the schema has checked it; the percent-encoded text is left to check. */
function headersOf(headers: readonly string[]): Record<string, string> {
  try {
    return Object.fromEntries(
      headers.map((header) => {
        const at = header.indexOf('=')
        const name = header.slice(0, at)
        const value = decodeURIComponent(header.slice(at + 1))
        validateHeaderValue(name, value)
        return [name, value]
      }),
    )
  } catch (cause) {
    throw new AdcpError('CONFIGURATION_ERROR', 'a value in tracing.headers is no header value', {
      field: 'tracing.headers',
      cause,
    })
  }
}
