import { isObject } from '../../../protocol/is-object.ts'
import type { FormatKey } from '../formats/format-id.ts'
import { officialReference } from '../formats/official-formats.ts'
import { standardFormats } from '../formats/standard-formats.ts'
import { type CanonicalKind, canonicalKindOf } from './kind.ts'
import { migratedOptionId } from './migrated-option-id.ts'
import { type CanonicalParams, canonicalParams } from './params.ts'
import { satisfies } from './satisfies.ts'
import { canonicalSlots } from './slots.ts'

interface Candidate {
  readonly key: FormatKey
  readonly kind: CanonicalKind
  readonly params: CanonicalParams
  /** Types of the assets that it demands. */
  readonly demands: readonly string[]
}

/** Finds the format of this agent that a creative of 3.1 is in. */
export interface FormatChooser {
  /** Of a creative that says only what kind it is (`format_kind`) and holds these `assets`; undefined for none. */
  ofKind(kind: unknown, assets: unknown): FormatKey | undefined
  /** Of an option of a product of this agent. */
  ofOption(optionId: string): FormatKey
}

/**
 * Of a kind it chooses among the standard formats of the agent at `agentUrl`: the first of the kind whose demanded assets are there and whose size and length are those of
 * the file, else the first that they do not contradict. Undefined where none fits (AdCP 3.1 core/creative-asset.json, `format_kind`).
 */
export function formatChooser(agentUrl: string): FormatChooser {
  const candidates = standardFormats(agentUrl).map(
    (format): Candidate => ({
      key: format.format.format_id,
      kind: canonicalKindOf(format),
      params: canonicalParams(format),
      demands: canonicalSlots(format).flatMap(({ required, asset_type }) => (required ? [asset_type] : [])),
    }),
  )
  const migrated = new Map(
    candidates.flatMap(({ key }): [string, FormatKey][] => {
      const official = officialReference(key.id)
      return official ? [[migratedOptionId(official), key]] : []
    }),
  )
  const ofKind: FormatChooser['ofKind'] = (kind, assets) => {
    const files = isObject(assets) ? Object.values(assets).filter(isObject) : []
    const types = new Set(files.map(({ asset_type }) => asset_type))
    const fitting = candidates.filter((each) => each.kind === kind && each.demands.every((type) => types.has(type)))
    const facts = factsOf(files)
    const exact = fitting.find(({ params }) => Object.keys(facts).length > 0 && satisfies(params, facts))
    return (exact ?? fitting.find(({ params }) => satisfies(knownPart(params, facts), facts)))?.key
  }
  return { ofKind, ofOption: (id) => migrated.get(id) ?? { agent_url: agentUrl, id } }
}

/** Size and length of the file that is the ad, as far as it says them. */
function factsOf(files: readonly Readonly<Record<string, unknown>>[]): CanonicalParams {
  const main = files.find(({ asset_type }) => asset_type === 'video' || asset_type === 'audio' || asset_type === 'image') ?? {}
  const { width, height, duration_ms: duration_ms_exact } = main
  return Object.fromEntries(Object.entries({ width, height, duration_ms_exact }).filter(([, value]) => typeof value === 'number'))
}

/** The parameters about which the facts say something. */
function knownPart(params: CanonicalParams, facts: CanonicalParams): CanonicalParams {
  const known = (name: string) => {
    if (name.startsWith('duration_ms')) return facts.duration_ms_exact !== undefined
    return facts[name.replace(/^(?:min|max)_/, '')] !== undefined
  }
  return Object.fromEntries(Object.entries(params).filter(([name]) => known(name)))
}
