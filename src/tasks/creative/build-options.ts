import type { BuildCreativeRequest } from '@adcp/sdk/types'
import { MOST_CHARACTERS } from '../../domain/creative/build/read-message.ts'
import { MOST_CREATIVES, MOST_LEAVES, MOST_VARIANTS } from '../../domain/creative/transformers/transformer.ts'
import type { VariantAxis } from '../../domain/creative/transformers/variants.ts'
import type { Contract } from '../../protocol/contract.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** What AdCP 3.1 added to media-buy/build-creative-request.json. */
export interface BuildOptions {
  readonly transformer_id?: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly max_creatives?: number
  readonly max_variants?: number
  readonly variant_axis?: VariantAxis
  readonly keep_mode?: 'keep_all' | 'keep_one' | 'keep_some'
  readonly mode?: 'execute' | 'estimate'
  readonly max_spend?: { readonly amount: number; readonly currency: string }
  readonly refine_from_build_variant_id?: string
  readonly signal_conditions?: readonly unknown[]
}

/** What AdCP 3.2 added: targets by their ids in `creative.supported_formats` of get_adcp_capabilities, in place of formats. */
export interface BuildCapabilities {
  readonly target_capability_id?: string
  readonly target_capability_ids?: readonly string[]
}

export type BuildRequest = BuildCreativeRequest & BuildOptions & BuildCapabilities

const OPTIONS: readonly (keyof BuildOptions)[] = [
  'transformer_id',
  'config',
  'max_creatives',
  'max_variants',
  'variant_axis',
  'keep_mode',
  'mode',
  'max_spend',
  'refine_from_build_variant_id',
  'signal_conditions',
]

const CAPABILITIES: readonly (keyof BuildCapabilities)[] = ['target_capability_id', 'target_capability_ids']

/** A creative of a short message, and characters of a long one that are read in a microsecond. */
const STEPS_OF_A_BUILD = 50
const CHARACTERS_OF_A_STEP = 7

/** Steps (about a microsecond each) of making creatives, each of which reads the message anew. The plan refuses more than {@link MOST_LEAVES} of them. */
export function buildingSteps(request: BuildRequest): number {
  if (request.mode === 'estimate') return 0
  const { max_creatives = 1, max_variants, variant_axis, message = '' } = request
  const variants = Math.min(max_variants ?? (variant_axis ? MOST_VARIANTS : 1), MOST_VARIANTS)
  const targets = severalTargets(request)?.length ?? 1
  const builds = Math.min(targets * variants * Math.min(max_creatives, MOST_CREATIVES), MOST_LEAVES)
  return Math.ceil(builds * (STEPS_OF_A_BUILD + Math.min(message.length, MOST_CHARACTERS) / CHARACTERS_OF_A_STEP))
}

/** Throws UNSUPPORTED_FEATURE for options that the release of the call does not have, and for those that are not carried out here. */
export function requireCarriedOut(request: BuildRequest, { rules, line, schemas }: Contract): void {
  const ofLater = rules.buildOptions ? undefined : OPTIONS.find((name) => request[name] !== undefined)
  if (ofLater !== undefined) {
    throw new AdcpError('UNSUPPORTED_FEATURE', `${ofLater} is part of AdCP 3.1, and this call was made under ${line}`, {
      field: ofLater,
      suggestion: 'send adcp_version "3.1" or leave it out',
    })
  }
  const names = schemas.requestPlace('build_creative')?.names
  const byCapability = CAPABILITIES.find((name) => request[name] !== undefined && !names?.has(name))
  if (byCapability !== undefined) {
    throw new AdcpError('UNSUPPORTED_FEATURE', `${byCapability} is part of AdCP 3.2, and this call was made under ${line}`, {
      field: byCapability,
      suggestion: 'send adcp_version "3.2", or name the format as target_format_id',
    })
  }
  if (request.refine_from_build_variant_id !== undefined) {
    throw new AdcpError('UNSUPPORTED_FEATURE', 'builds are not kept here, so none can be refined by its id', {
      field: 'refine_from_build_variant_id',
      suggestion: 'send the manifest of that variant as creative_manifest, with the changes as message',
    })
  }
  if (request.signal_conditions !== undefined) {
    throw new AdcpError('UNSUPPORTED_FEATURE', 'creatives are not built for each of several signals here', {
      field: 'signal_conditions',
      suggestion: 'build the creative of each condition in a call of its own',
    })
  }
}

/** The ids of the targets where a request names several, as formats or as capabilities; undefined for one at most. */
export function severalTargets({
  target_format_ids: formats,
  target_capability_ids: ids,
}: BuildRequest): readonly unknown[] | undefined {
  return formats ?? ids
}

/** Whether the answer lists variants (`creatives`), even if there is only one: then no answer of a single build is given. */
export function asksForVariants({ max_creatives, max_variants, variant_axis }: BuildRequest): boolean {
  return max_creatives !== undefined || (max_variants ?? 1) > 1 || variant_axis !== undefined
}
