import { describe, expect, it, test } from 'vitest'
import { missingCreatives } from '../../../src/domain/media-buy/missing-creatives.ts'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { applyToSelection } from '../../../src/domain/product/ask-of-selection.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { unreached } from '../../../src/domain/product/unreached.ts'
import {
  summarizeCreated,
  summarizeDelivery,
  summarizeMediaBuys,
  summarizeProducts,
} from '../../../src/tasks/media-buy/summaries.ts'
import { NOW, plan, product } from '../../support/media-buy-fixtures.ts'

describe('what an ask leaves out by its kind', () => {
  it.each(['drop the auction', 'remove the auction product', 'exclude the auction'])('"%s" is read whole', (text) => {
    const { wishes, unread } = readAsk(text)
    expect(wishes.map(({ label }) => label)).toEqual(['no non-guaranteed delivery'])
    expect(unread).toEqual([])
  })

  it('has other words left as before', () => {
    expect(readAsk('drop the auction quickly please').unread).not.toEqual([])
  })
})

describe('an ask for less of what all products are', () => {
  const applied = (products: ReturnType<typeof product>[]) =>
    applyToSelection(products, {
      reserve: () => [],
      met: [],
      left: { wishes: 50 },
      ask: readAsk('less display'),
      index: buildIndex(products),
      takes: () => true,
      fixed: false,
    }).verdict

  it('is not said to be applied', () => {
    const verdict = applied([product('a'), product('b')])
    expect(verdict).toMatchObject({ status: 'unable', notes: expect.stringContaining('all here are display') })
  })

  it('is applied where others are there', () => {
    expect(applied([product('a'), product('b', { channels: ['olv'] })])).toMatchObject({ status: 'applied' })
  })
})

test('a proposal that cannot be finalized is not said to be a search that found nothing', () => {
  const refinement = { scope: 'proposal', proposal_id: 'p', status: 'unable', notes: 'too little is left' } as const
  const text = summarizeProducts({ products: [], refinement_applied: [refinement] })
  expect(text).toBe('refine[0]: too little is left')
  expect(summarizeProducts({ products: [] })).toContain('No product answers this')
})

describe('an order that is over', () => {
  const listed = (valid_actions: string[]) => ({ media_buys: [{ media_buy_id: 'mb', status: 'x', valid_actions }] })

  it('is offered no change', () => {
    expect(summarizeMediaBuys(listed([]))).toMatch(/\nNext: get_media_buy_delivery for results\.$/)
    expect(summarizeMediaBuys(listed(['cancel']))).toMatch(/; update_media_buy to change it\.$/)
  })

  it.each([
    ['canceled', false],
    ['active', true],
  ])('that is %s moves budgets: %s', (status, isOpen) => {
    const report = { aggregated_totals: { impressions: 10 }, media_buy_deliveries: [{ media_buy_id: 'mb', status }] }
    expect(summarizeDelivery(report).includes('move budgets')).toBe(isOpen)
  })
})

test('the text of an order that waits has its notes before what is next', () => {
  const notes = ['Until it is booked nothing is owed; then cancelling news costs 25%.']
  const text = summarizeCreated({ status: 'submitted', task_id: 't1', ext: { notes } })
  expect(text.split('\n').slice(-2)).toEqual([notes[0], 'Next: get_task_status with task_id "t1".'])
})

test('a package whose creatives are all rejected lacks one', () => {
  const buy = plan()
  const [pkg] = buy.packages
  const id = pkg?.packageId ?? ''
  const fact = { creativeId: 'b1', approval: 'rejected' as const }
  const facts = (rows: object[]) => new Map([[id, rows]]) as unknown as Parameters<typeof missingCreatives>[1]
  expect(missingCreatives(buy, facts([fact]), NOW)).toEqual([
    { package_id: id, message: '"b1" is rejected: nothing of it serves until one that is approved is assigned' },
  ])
  expect(missingCreatives(buy, facts([fact, { creativeId: 'b2', approval: 'approved' }]), NOW)).toEqual([])
})

test('what is nearer to a brief and on sale on other days is named with them', () => {
  const [news, sponsor] = [product('news'), product('hockey', {}, { availableFrom: '2026-12-19' })]
  const notes = (startDate: string) =>
    unreached(
      { hints: { terms: [] } as never, countries: undefined, startDate, endDate: '2026-12-24' },
      {
        index: buildIndex([news, sponsor]),
        principalId: 'buyer',
        takes: () => true,
        shown: [news],
        atOtherDates: () => [sponsor, news],
      },
    )
  expect(notes('2026-12-11')).toContainEqual(
    expect.stringMatching(/^Nearer to the brief and not on sale from 2026-12-11 to 2026-12-24: hockey from 2026-12-19, up to /),
  )
  expect(notes('2026-12-20').join()).not.toContain('Nearer')
})
