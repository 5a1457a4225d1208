import type { CreativeStatus } from '../../domain/creative/creative.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'

/** What a listing asks for; every condition is one of the query, none is checked afterwards. */
export interface CreativeQuery {
  /** Accounts whose creatives are wanted; undefined means all of the agent's. Creatives that every account has always count. */
  readonly accountIds: readonly string[] | undefined
  readonly statuses?: readonly CreativeStatus[] | undefined
  readonly creativeIds?: readonly string[] | undefined
  /** Left out whatever else matches. */
  readonly exceptIds?: readonly string[] | undefined
  readonly nameContains?: string | undefined
  readonly allTags?: readonly string[] | undefined
  readonly anyTag?: readonly string[] | undefined
  readonly conceptIds?: readonly string[] | undefined
  readonly formatIds?: readonly FormatKey[] | undefined
  readonly hasVariables?: boolean | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedAfter?: string | undefined
  readonly updatedBefore?: string | undefined
  readonly packageIds?: readonly string[] | undefined
  readonly mediaBuyIds?: readonly string[] | undefined
  readonly unassigned?: boolean | undefined
  /** Whether tombstones of destroyed creatives are listed too. */
  readonly includePurged?: boolean | undefined
  readonly now: Date
}
