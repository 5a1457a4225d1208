import type { Forbidden } from './policy-rules.ts'

interface Entry {
  readonly policy: number
  /** Place among what the policy forbids: the first that is found names the reason. */
  readonly position: number
  readonly forbidden: Forbidden
  readonly stems: readonly string[]
}

/**
 * What many policies forbid, by the rarest stem of each sign: the words of a text are looked up once, and what none of them begins is never looked at, so that
 * the cost grows with the text and not with the number of policies.
 */
export class ForbiddenIndex {
  readonly #byStem = new Map<string, Entry[]>()

  constructor(policies: readonly (readonly Forbidden[])[]) {
    const entries = policies.flatMap((all, policy) =>
      all.flatMap((forbidden, position) => forbidden.signs.map((stems) => ({ policy, position, forbidden, stems }))),
    )
    const uses = new Map<string, number>()
    for (const { stems } of entries) for (const stem of new Set(stems)) uses.set(stem, (uses.get(stem) ?? 0) + 1)
    for (const entry of entries) {
      const rarest = entry.stems.reduce((a, b) => ((uses.get(b) ?? 0) < (uses.get(a) ?? 0) ? b : a), entry.stems[0] ?? '')
      const known = this.#byStem.get(rarest)
      if (known) known.push(entry)
      else this.#byStem.set(rarest, [entry])
    }
  }

  /** The first forbidden thing of each policy, by its place among the policies, that these stems have. */
  firstIn(stems: ReadonlySet<string>): ReadonlyMap<number, Forbidden> {
    const first = new Map<number, Entry>()
    for (const stem of stems) {
      for (const entry of this.#byStem.get(stem) ?? []) {
        const known = first.get(entry.policy)
        if (known && known.position <= entry.position) continue
        if (entry.stems.every((each) => stems.has(each))) first.set(entry.policy, entry)
      }
    }
    return new Map([...first].map(([policy, { forbidden }]) => [policy, forbidden]))
  }
}
