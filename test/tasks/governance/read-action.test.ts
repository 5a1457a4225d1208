import { describe, expect, it } from 'vitest'
import { readAction } from '../../../src/tasks/governance/read-action.ts'

const context = {
  products: new Map([['mix', { name: 'Mix', channels: ['ctv', 'olv', 'display'] }]]),
  seller: 'https://seller.example',
}

function sharesOf(action: ReturnType<typeof readAction>): number[] {
  return action.channels.map(({ micros }) => micros)
}

describe('money that a request gives to several channels', () => {
  it.each([100, 0.01, 1_000_000.01, 0.000001])('%d USD in a plan of delivery is split without a rest', (total) => {
    const planned_delivery = { channels: ['ctv', 'olv', 'display'], total_budget: total, currency: 'USD' }
    const shares = sharesOf(readAction({ plan_id: 'p', caller: 'https://buyer.example', planned_delivery } as never, context))
    expect(shares).toHaveLength(3)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.round(total * 1_000_000))
  })

  it('so is the budget of a package whose product runs on several', () => {
    const payload = { packages: [{ product_id: 'mix', budget: 100 }] }
    const request = { plan_id: 'p', caller: 'https://buyer.example', tool: 'create_media_buy', payload }
    expect(sharesOf(readAction(request as never, context))).toEqual([33_333_334, 33_333_333, 33_333_333])
  })

  it('a plan of delivery without channels has no shares', () => {
    const planned_delivery = { channels: [], total_budget: 100, currency: 'USD' }
    expect(sharesOf(readAction({ plan_id: 'p', caller: 'https://buyer.example', planned_delivery } as never, context))).toEqual(
      [],
    )
  })
})
