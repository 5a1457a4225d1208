import { describe, expect, it } from 'vitest'
import { MEANT_MEMBERS } from '../../src/protocol/mistaken-members.ts'
import { RELEASES } from '../../src/protocol/releases.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

const later = new Schemas(RELEASES.find(({ line }) => line === '3.2'))

/** Tasks of the compact lifecycle, whose documents have no other release. */
const TASKS = ['request_proposals', 'refine_proposals', 'buy_products', 'control_media_buy'] as const

describe('members that stand for others in the compact lifecycle', () => {
  it.each(TASKS)('of %s are none of its own, and lead to one that it has', (task) => {
    const place = later.requestPlace(task)
    const meanings = Object.entries(MEANT_MEMBERS[`media-buy/${task.replaceAll('_', '-')}-request.json#`] ?? {})
    expect(meanings.length).toBeGreaterThan(5)
    for (const [name, meant] of meanings) {
      expect([name, place?.names.has(name)]).toEqual([name, false])
      const [first = ''] = /^[a-z_]+/.exec(meant) ?? []
      expect([meant, place?.names.has(first)]).toEqual([meant, true])
    }
  })
})
