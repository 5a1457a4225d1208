import type { ShareChange } from './ask-changes.ts'
import type { Subject } from './ask-subject.ts'
import type { Product } from './product.ts'

/** Kinds of delivery as an ask names them, by an id that stands for each while its shares are read: an id is a part of a plan by itself. */
const KINDS: readonly (readonly [pattern: RegExp, id: string, word: string, type: Product['offer']['delivery_type']])[] = [
  [/\bnon[\s_-]guaranteed\b/gi, 'kind_non_guaranteed', 'non-guaranteed', 'non_guaranteed'],
  [/\bauction(?:ed|s)?\b/gi, 'kind_auction', 'auction', 'non_guaranteed'],
  [/\bprogrammatic\b/gi, 'kind_programmatic', 'programmatic', 'non_guaranteed'],
  [/(?<![_-])\bguaranteed\b/gi, 'kind_guaranteed', 'guaranteed', 'guaranteed'],
]

const LABELS = { guaranteed: 'guaranteed delivery', non_guaranteed: 'non-guaranteed delivery' } as const

/** A half of a plan, which is no half of what a part of it has: "half guaranteed". */
const HALF =
  /^(\s*(?:make it |about |and )?)(?:a )?half(?: of (?:it|the (?:budget|plan|money)))?(?= (?:to |in |into |for |on |as )?kind_)/i

/** A clause with ids in place of the kinds of delivery that it names; undefined where it names none. */
export function withKindIds(clause: string): string | undefined {
  const named = KINDS.reduce((text, [pattern, id]) => text.replace(pattern, id), clause)
  return named === clause ? undefined : named.replace(HALF, '$150%')
}

/** Changes whose subjects are of the kinds that ids of {@link withKindIds} stand for. */
export function withKindsMet(changes: readonly ShareChange[]): ShareChange[] {
  return changes.map((change) => {
    if (!('ids' in change)) return change
    const met = withKind(change)
    if ('from' in met) return { ...met, from: withKind(met.from) }
    if ('other' in met) return { ...met, other: withKind(met.other) }
    return 'by' in met ? { ...met, by: withKind(met.by) } : met
  })
}

function withKind<T extends Subject>(subject: T): T {
  const types = [...new Set(KINDS.flatMap(([, id, , type]) => (subject.ids.includes(id) ? [type] : [])))]
  const text = KINDS.reduce((words, [, id, word]) => words.replaceAll(id, word), subject.text)
  const ids = subject.ids.filter((id) => !KINDS.some(([, kind]) => kind === id))
  const meets = types.map((type) => ({
    label: LABELS[type],
    satisfies: ({ offer }: Product) => offer.delivery_type === type,
  }))
  const each = subject.each?.map(withKind)
  return { ...subject, text, ids, ...(meets.length > 0 && { meets }), ...(each && { each }) }
}
