import { ServerCallContext } from 'a2a/server'
import type { AdcpError } from '../../protocol/errors.ts'
import type { Caller } from '../../security/auth/identify.ts'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'
import type { JsonObject } from '../json-rpc/json.ts'

/** Revisions of A2A that are served; the `A2A-Version` header names one, and its absence means 0.3 (A2A 1.0 §3.6). */
export type A2aVersion = '0.3' | '1.0'

export interface ExchangeOptions {
  readonly requestId: string
  readonly version: A2aVersion
  /** `params` of the request as they were parsed. */
  readonly params: JsonObject
  readonly credentials: TransportCredentials
  /** Who sent it; verified once, however often it is asked. */
  readonly caller: () => Promise<Caller>
  readonly publicTenant: string | undefined
}

/**
 * One request on its way through the A2A SDK. The SDK hands on a protobuf form of the parameters, which drops members that A2A does
 * not know, so what a task is called with comes from the parsed JSON instead: the same values as over MCP.
 */
export class Exchange extends ServerCallContext {
  readonly requestId: string
  readonly version: A2aVersion
  readonly params: JsonObject
  readonly credentials: TransportCredentials
  readonly caller: () => Promise<Caller>
  readonly publicTenant: string | undefined
  #refusal: { readonly error: AdcpError; readonly context?: unknown } | undefined
  #reached = false

  constructor(options: ExchangeOptions) {
    super({ requestedVersion: options.version })
    this.requestId = options.requestId
    this.version = options.version
    this.params = options.params
    this.credentials = options.credentials
    this.caller = options.caller
    this.publicTenant = options.publicTenant
  }

  /** Why the whole HTTP request is refused (401, 403, 429), once a task has said so. */
  get refusal(): { readonly error: AdcpError; readonly context?: unknown } | undefined {
    return this.#refusal
  }

  /** Whether the SDK found the parameters readable. */
  get reached(): boolean {
    return this.#reached
  }

  /** Records the refusal of the whole request, and gives what to throw so that the SDK stops. */
  refuse(error: AdcpError, context?: unknown): Error {
    this.#refusal = { error, ...(context !== undefined && { context }) }
    return error
  }

  /** The exchange that a handler of the SDK was called with. */
  static of(context: ServerCallContext): Exchange {
    if (!(context instanceof Exchange)) throw new Error('a request came by another way than the transport')
    context.#reached = true
    return context
  }
}
