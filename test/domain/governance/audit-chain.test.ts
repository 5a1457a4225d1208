import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuditEntry, ChainWalk, linked } from '../../../src/domain/governance/audit-chain.ts'

function chain(length: number): AuditEntry[] {
  const entries: AuditEntry[] = []
  for (let i = 1; i <= length; i++)
    entries.push(
      linked(
        { entryId: `e${i}`, kind: 'check', actionId: 'a', document: { at: 'now', actor: 'buyer', reason: `r${i}` } },
        'plan',
        entries.at(-1),
      ),
    )
  return entries
}

function brokenAt(entries: readonly AuditEntry[]): number | undefined {
  const walk = new ChainWalk()
  for (const entry of entries) walk.follow(entry)
  return walk.brokenAt
}

describe('the chain of a plan', () => {
  it('holds as it was written', () => {
    expect(brokenAt(chain(0))).toBeUndefined()
    expect(brokenAt(chain(5))).toBeUndefined()
  })

  it('shows every entry that was changed, dropped or moved', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), fc.constantFrom('change', 'drop', 'swap', 'rename'), (at, how) => {
        const entries = chain(5)
        const [entry, next] = [entries[at]!, entries[at + 1]!]
        if (how === 'change') entries[at] = { ...entry, document: { ...entry.document, actor: 'somebody else' } }
        if (how === 'drop') entries.splice(at, 1)
        if (how === 'swap') entries.splice(at, 2, next, entry)
        if (how === 'rename') entries[at] = { ...entry, planId: 'other' }
        expect(brokenAt(entries)).toBeDefined()
      }),
    )
  })

  it('a rewritten entry with a fresh hash breaks the next one', () => {
    const entries = chain(3)
    const { entryId, kind, actionId } = entries[1]!
    entries[1] = linked({ entryId, kind, actionId, document: { at: 'now', actor: 'forger' } }, 'plan', entries[0])
    expect(brokenAt(entries)).toBe(3)
  })
})
