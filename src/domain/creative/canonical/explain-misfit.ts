import type { FormatKey } from '../formats/format-id.ts'
import type { CanonicalKind } from './kind.ts'
import type { CanonicalParams } from './params.ts'

/** A format that a creative which names its kind alone may be in. */
export interface FormatCandidate {
  readonly key: FormatKey
  readonly kind: CanonicalKind
  readonly params: CanonicalParams
  /** Types of the assets that it demands. */
  readonly demands: readonly string[]
}

/** Why no format takes a creative: a JSON pointer below it, and a sentence that begins with what is there. */
export interface Misfit {
  readonly pointer: string
  readonly message: string
}

/** What a creative says of itself: `facts` of the asset that is the ad, `main` its name. */
export interface SentCreative {
  readonly kind: unknown
  readonly types: ReadonlySet<unknown>
  readonly facts: CanonicalParams
  readonly main: string | undefined
}

/** Says why none of the formats takes a creative, and what they take: kinds, assets, or sizes and lengths. */
export function explainMisfit(candidates: readonly FormatCandidate[], { kind, types, facts, main }: SentCreative): Misfit {
  const ofKind = candidates.filter((each) => each.kind === kind)
  if (ofKind.length === 0) {
    const message = `is ${JSON.stringify(kind)}, and no format here is of that kind; kinds taken: ${listed(candidates.map((each) => each.kind))}`
    return { pointer: '/format_kind', message }
  }
  const complete = ofKind.filter(({ demands }) => demands.every((type) => types.has(type)))
  if (complete.length === 0) {
    const wanted = listed(
      ofKind.map(({ demands }) => [...new Set(demands)].join(' and ')),
      '; or ',
    )
    return { pointer: '/assets', message: `lack what formats of the kind ${kind} demand: assets of the types ${wanted}` }
  }
  const sent = Object.entries(facts).map(([name, value]) => `${name.replace(/_exact$/, '')} ${value}`)
  const taken = listed(complete.map(({ params }) => describe(params)))
  return {
    pointer: main === undefined ? '/assets' : `/assets/${main.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    message: `has ${sent.join(' and ')}, which no format of the kind ${kind} takes; taken (width x height): ${taken}`,
  }
}

function listed(texts: readonly string[], between = ', '): string {
  return [...new Set(texts)].join(between)
}

/** Size and length of a format: `300x250`, `640x360 to 1920x1080`, `any size, 15000 ms`. */
function describe(params: CanonicalParams): string {
  const { width, height, min_width, max_width, min_height, max_height, duration_ms_exact, duration_ms_range } = params
  const size = (w: unknown, h: unknown) => `${w ?? 'any'}x${h ?? 'any'}`
  const limits = [min_width, max_width, min_height, max_height]
  const sizes = () =>
    limits.every((each) => each === undefined) ? 'any size' : limitText(size(min_width, min_height), size(max_width, max_height))
  const length =
    duration_ms_exact ??
    (Array.isArray(duration_ms_range) ? duration_ms_range.map((each) => each ?? 'any').join(' to ') : undefined)
  const what = width !== undefined || height !== undefined ? size(width, height) : sizes()
  return length === undefined ? what : `${what} of ${length} ms`
}

function limitText(least: string, most: string): string {
  return least === most ? least : `${least} to ${most}`
}
