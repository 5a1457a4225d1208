import type { OutboundCall } from '../../platform/net/outbound-call.ts'
import type { GamClient } from './client.ts'
import type { GamOptions } from './gam-options.ts'
import type { Lookups } from './lookups.ts'
import type { GamMemory } from './remembered.ts'
import type { SoapClient } from './soap-client.ts'

/** What the calls of one network work with. */
export interface GamParts {
  readonly client: GamClient
  readonly soap: SoapClient
  /** The way to files of creatives. */
  readonly call: OutboundCall
  readonly options: GamOptions
  readonly lookups: Lookups
  readonly memory: GamMemory
  readonly clock: () => Date
}
