import { isObject } from '../../../protocol/is-object.ts'
import type { FormatKey } from '../formats/format-id.ts'
import { officialReference } from '../formats/official-formats.ts'
import { standardFormats } from '../formats/standard-formats.ts'
import { explainMisfit, type FormatCandidate, type Misfit, type SentCreative } from './explain-misfit.ts'
import { canonicalKindOf } from './kind.ts'
import { migratedOptionId } from './migrated-option-id.ts'
import { type CanonicalParams, canonicalParams } from './params.ts'
import { satisfies } from './satisfies.ts'
import { canonicalSlots } from './slots.ts'

/** Finds the format of this agent that a creative of 3.1 is in. */
export interface FormatChooser {
  /** Of a creative that says only what kind it is (`format_kind`) and holds these `assets`; undefined for none. */
  ofKind(kind: unknown, assets: unknown): FormatKey | undefined
  /** Why {@link ofKind} found none, and what is taken. */
  misfitOf(kind: unknown, assets: unknown): Misfit
  /** Of an option of a product of this agent. */
  ofOption(optionId: string): FormatKey
}

/**
 * Of a kind it chooses among the standard formats of the agent at `agentUrl`: the first of the kind whose demanded assets are there and whose size and length are those of
 * the file, else the first that they do not contradict. Undefined where none fits (AdCP 3.1 core/creative-asset.json, `format_kind`).
 */
export function formatChooser(agentUrl: string): FormatChooser {
  const candidates = standardFormats(agentUrl).map(
    (format): FormatCandidate => ({
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
    const { types, facts } = contentOf(assets)
    const fitting = candidates.filter((each) => each.kind === kind && each.demands.every((type) => types.has(type)))
    const exact = fitting.find(({ params }) => Object.keys(facts).length > 0 && satisfies(params, facts))
    return (exact ?? fitting.find(({ params }) => satisfies(knownPart(params, facts), facts)))?.key
  }
  const misfitOf: FormatChooser['misfitOf'] = (kind, assets) => explainMisfit(candidates, { kind, ...contentOf(assets) })
  return { ofKind, misfitOf, ofOption: (id) => migrated.get(id) ?? { agent_url: agentUrl, id } }
}

/** Types of the assets, and size and length of the one that is the ad, as far as it says them. */
function contentOf(assets: unknown): Omit<SentCreative, 'kind'> {
  const files = Object.entries(isObject(assets) ? assets : {}).flatMap(([name, file]) => (isObject(file) ? [{ name, file }] : []))
  const main = files.find(({ file: { asset_type } }) => MEDIA.some((type) => type === asset_type))
  const { width, height, duration_ms: duration_ms_exact } = main?.file ?? {}
  const facts = Object.entries({ width, height, duration_ms_exact }).filter(([, value]) => typeof value === 'number')
  return {
    types: new Set(files.map(({ file: { asset_type } }) => asset_type)),
    facts: Object.fromEntries(facts),
    main: main?.name,
  }
}

const MEDIA = ['video', 'audio', 'image']

/** The parameters about which the facts say something. */
function knownPart(params: CanonicalParams, facts: CanonicalParams): CanonicalParams {
  const known = (name: string) => {
    if (name.startsWith('duration_ms')) return facts.duration_ms_exact !== undefined
    return facts[name.replace(/^(?:min|max)_/, '')] !== undefined
  }
  return Object.fromEntries(Object.entries(params).filter(([name]) => known(name)))
}
