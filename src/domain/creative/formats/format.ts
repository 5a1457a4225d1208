import type { FormatAssetSlot, Format as OfficialFormat } from '@adcp/sdk/types'

export type FormatAsset = FormatAssetSlot
export type FormatRender = NonNullable<OfficialFormat['renders']>[number]

/** AdCP core/format.json, with the asset slots typed in full. */
export type Format = Omit<OfficialFormat, 'assets'> & { assets?: FormatAsset[] }

/** The technical category by which formats can be filtered (AdCP creative/list-creative-formats-request.json `type`). */
export const FORMAT_TYPES = ['display', 'video', 'audio', 'dooh'] as const
export type FormatType = (typeof FORMAT_TYPES)[number]

/**
 * A format before its owner is known: everything of AdCP core/format.json but `format_id`. `supported_macros` stays out: the
 * schema's `oneOf` there matches a standard macro name twice, so that no standard name is valid.
 */
export interface FormatSpec {
  readonly id: string
  readonly type: FormatType
  readonly body: Omit<Format, 'format_id' | 'supported_macros' | 'input_format_ids' | 'output_format_ids'>
  /** Ids of formats of the same agent whose creatives it can be made from. */
  readonly madeFrom?: readonly string[]
  /** Ids of formats of the same agent that can be made from it. */
  readonly makes?: readonly string[]
}

/** A format that this agent accepts. `standard`: an industry-standard one, not one of the seller's own. */
export interface CatalogFormat {
  readonly type: FormatType
  readonly standard: boolean
  readonly format: Format
}

/** Gives a specification its owner. `agentUrl` is the agent that defines the format. */
export function ownFormat(spec: FormatSpec, agentUrl: string, standard: boolean): CatalogFormat {
  const own = (id: string) => ({ agent_url: agentUrl, id })
  return {
    type: spec.type,
    standard,
    format: {
      format_id: own(spec.id),
      ...spec.body,
      ...(spec.madeFrom && { input_format_ids: spec.madeFrom.map(own) }),
      ...(spec.makes && { output_format_ids: spec.makes.map(own) }),
    },
  }
}
