import type { TextForm } from '../domain/identity/principal.ts'
import type { NativePush } from '../features/webhooks/webhook-types.ts'
import type { AdcpError, RecoveryOf } from '../protocol/errors.ts'
import type { Caller } from '../security/auth/identify.ts'
import type { TransportCredentials } from '../security/auth/transport-credentials.ts'

/** A transport's request, stripped of its transport. */
export interface Call {
  readonly requestId: string
  readonly transport: 'mcp' | 'stdio' | 'a2a' | 'http'
  /** The name that the caller used. */
  readonly tool: string
  /** Raw arguments as parsed, not checked yet. */
  readonly arguments: unknown
  /** MCP `_meta` of the call, scanned for credentials like the arguments. */
  readonly meta?: unknown
  readonly credentials: TransportCredentials
  /** Who sent it, asked once for the whole message: for transports that have to know it themselves (a signature counts only once). */
  readonly caller?: () => Promise<Caller>
  /** Tenant of the path `/t/{tenant}/…`: selects the public products, never widens a principal. */
  readonly publicTenant?: string
  /** Set when the `push_notification_config` among the arguments came in the transport's own form. */
  readonly nativePush?: NativePush
}

/** The outcome of a call; the transport renders it. `context` is the caller's own, to be echoed. */
export type Outcome =
  | {
      readonly ok: true
      readonly payload: Readonly<Record<string, unknown>>
      readonly replayed: boolean
      /** The answer's schema is closed: a transport puts no status beside the payload. */
      readonly closed?: true
      readonly context?: unknown
      /** Writes the payload as text for people; absent: its text is JSON, for a principal that has to parse it. */
      readonly summarize?: () => string
      /** The form that the call itself asks for, whatever its client usually reads. */
      readonly textForm?: TextForm
    }
  | {
      readonly ok: false
      readonly error: AdcpError
      readonly recoveryOf: RecoveryOf
      readonly release?: string
      readonly context?: unknown
    }

/** Runs one call through the pipeline. Never rejects. */
export type Dispatch = (call: Call) => Promise<Outcome>
