import type { IdMemory } from '../domain/ad-serving/id-memory.ts'
import type { ManualOrders } from '../domain/ad-serving/manual-order.ts'
import type { OutboundCall } from '../platform/net/outbound-call.ts'
import type { AdServerBackend } from './backend.ts'
import type { AdServerLog } from './define-ad-server.ts'

/** Public settings of an ad server, or its credentials: a JSON object whose members the ad server's type checks. */
export type SettingsObject = Readonly<Record<string, unknown>>

/** What an ad server of a built-in type is made with, once for each publisher. */
export interface BackendSetup {
  /** For logs and stored ids. */
  readonly name: string
  readonly tenantId: string
  /** As they were set; nothing in them is secret. */
  readonly options: SettingsObject
  /** The stored credentials as they are now, decrypted; undefined: none. Read before each use, so that a rotation needs no restart. */
  readonly credentials: () => Promise<SettingsObject | undefined>
  /** For ad servers that do not store our ids. */
  readonly ids: IdMemory
  /** For ad servers without an API. */
  readonly manual: ManualOrders
  /** The way to the ad server. */
  readonly call: OutboundCall
  readonly clock: () => Date
  readonly log: AdServerLog
}

/** Makes an ad server of a built-in type. Throws CONFIGURATION_ERROR when the options are not those of the type. Makes no call. */
export type CreateBackend = (setup: BackendSetup) => AdServerBackend
