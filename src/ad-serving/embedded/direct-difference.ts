import { valueText } from '../../domain/ad-serving/value-text.ts'
import { sameValue } from '../../domain/same-value.ts'
import type { DirectCreative, DirectLine, DirectOrder } from './direct-order.ts'

/** One difference of two versions of a direct order. A line or a creative that comes or goes has no `field`; what was or is not there is null. */
export interface DirectDifference {
  readonly line_id: string | null
  readonly creative_id: string | null
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
}

type Place = Pick<DirectDifference, 'line_id' | 'creative_id'>

/** What a change of a direct order changes: of the order first, then line by line. */
export function directDifferences(before: DirectOrder, after: DirectOrder): readonly DirectDifference[] {
  const { lines: linesBefore, order_id: _before, ...orderBefore } = before
  const { lines: linesAfter, order_id: _after, ...orderAfter } = after
  return [
    ...fieldDifferences({ line_id: null, creative_id: null }, orderBefore, orderAfter),
    ...partDifferences(linesBefore, linesAfter, {
      idOf: ({ line_id }) => line_id,
      placeOf: (line_id) => ({ line_id, creative_id: null }),
      compare: lineDifferences,
    }),
  ]
}

function lineDifferences(before: DirectLine, after: DirectLine): DirectDifference[] {
  const place = { line_id: after.line_id, creative_id: null }
  const fields = ({ line_id: _id, creatives: _creatives, targeting, ...line }: DirectLine) => ({ ...line, ...targeting })
  return [
    ...fieldDifferences(place, fields(before), fields(after)),
    ...partDifferences(before.creatives, after.creatives, {
      idOf: ({ creative_id }) => creative_id,
      placeOf: (creative_id) => ({ ...place, creative_id }),
      compare: (one, other) =>
        fieldDifferences({ ...place, creative_id: other.creative_id }, creativeFields(one), creativeFields(other)),
    }),
  ]
}

/** Members of the content beside those that every creative has. */
function creativeFields({ creative_id: _id, image, native, video, html5, ...creative }: DirectCreative): object {
  return { ...creative, ...image, ...(native && { ...native }), ...video, ...html5 }
}

interface Parts<T> {
  idOf(part: T): string
  placeOf(id: string): Place
  compare(before: T, after: T): readonly DirectDifference[]
}

function partDifferences<T>(before: readonly T[], after: readonly T[], { idOf, placeOf, compare }: Parts<T>): DirectDifference[] {
  const [old, now] = [before, after].map((parts) => new Map(parts.map((part) => [idOf(part), part])))
  const ids = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])
  return [...ids].flatMap((id) => {
    const [was, is] = [old?.get(id), now?.get(id)]
    if (was !== undefined && is !== undefined) return compare(was, is)
    return [{ ...placeOf(id), field: null, before: was ?? null, after: is ?? null }]
  })
}

function fieldDifferences(place: Place, before: object, after: object): DirectDifference[] {
  const [old, now] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))]
  const names = new Set([...old.keys(), ...now.keys()])
  return [...names].flatMap((field) => {
    const [was, is] = [old.get(field) ?? null, now.get(field) ?? null]
    return sameValue(was, is) ? [] : [{ ...place, field, before: was, after: is }]
  })
}

/** A difference as one line of text: `line-1, impressions: 4000 → 8000`. */
export function differenceText({ line_id, creative_id, field, before, after }: DirectDifference): string {
  const place = [line_id, creative_id].filter((id) => id !== null)
  if (field === null) return `${place.join(', ')}: ${before === null ? 'added' : 'removed'}`
  return `${[...place, field.replaceAll('_', ' ')].join(', ')}: ${valueText(before)} → ${valueText(after)}`
}
