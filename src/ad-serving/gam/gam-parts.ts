import type { GamClient } from './client.ts'
import type { GamOptions } from './gam-options.ts'
import type { Lookups } from './lookups.ts'
import type { GamMemory } from './remembered.ts'

/** What the calls of one network work with. */
export interface GamParts {
  readonly client: GamClient
  readonly options: GamOptions
  readonly lookups: Lookups
  readonly memory: GamMemory
  readonly clock: () => Date
}
