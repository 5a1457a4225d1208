import { expect, test } from 'vitest'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { channelSharesIn, shareNotes } from '../../../src/domain/product/brief-shares.ts'
import { unreached } from '../../../src/domain/product/unreached.ts'

test.each([
  ['sports fans, EUR 5,000, video 90%, display 10%', ['video 90%', 'display 10%']],
  ['90 Prozent Video, 10 Prozent Display', ['90 Prozent Video', '10 Prozent Display']],
  ['sports, 70/30 video and display', ['70/30 video and display']],
  ['half video, half display', ['half video', 'half display']],
  ['split evenly between video and display', ['split evenly between video and display']],
  ['60 % vidéo, le reste en display', ['60 % vidéo', 'le reste en display']],
])('"%s" names shares of channels, and the answer says that they were not used', (brief, parts) => {
  expect(channelSharesIn(brief)).toEqual(parts)
  for (const by of ['get_products', 'refine_proposals'] as const) {
    const [note = ''] = shareNotes(brief, by)
    for (const part of parts) expect(note).toContain(`"${part}"`)
    expect(note).toMatch(by === 'get_products' ? /Refine with scope "proposal"/ : /refine_proposals/)
  }
})

test.each([
  'video with 80% viewability',
  'display at 10% off',
  'video for women 25-54',
  'sports video, EUR 5,000',
  'video, 80% completion',
])('"%s" names no shares', (brief) => expect(shareNotes(brief)).toEqual([]))

test('shares of places are said not to be used', () => {
  expect(shareNotes('sports, EUR 4,000, of which 3,000 in Sweden and 1,000 in Norway')).toEqual([
    'Shares by place were not used: "of which 3,000 in Sweden and 1,000 in Norway". A plan splits its budget between products, not places.',
  ])
})

test.each([
  ...[
    'not on weekends',
    'never on Sundays',
    'no Mondays',
    'nicht am Wochenende',
    'nur werktags',
    'inte på helger',
    'ikke i helgene',
  ],
  ...['pas le week-end', 'no los fines de semana', 'niet in het weekend', 'kun hverdager', 'only on weekdays'],
])('a brief with "%s" names days of the week', (part) => {
  expect(readBrief(`sports banners, EUR 5,000, ${part}`).hints.orderTerms).toContain('days of the week')
})

test('a limit by day beside a budget is named', () => {
  for (const part of ['max EUR 300 a day', 'daily budget of 300 EUR', 'höchstens 300 Euro pro Tag', 'max 300 EUR per dag']) {
    const { hints } = readBrief(`sports banners, EUR 5,000 in all, ${part}`)
    expect(hints).toMatchObject({ budget: { amount: 5000 }, rateBeside: expect.stringContaining('300') })
    expect(hints.rate).toBeUndefined()
    const asked = { hints, countries: undefined, startDate: undefined, endDate: undefined }
    const offering = {
      index: { kinds: { samples: [] } } as never,
      principalId: 'anybody',
      takes: () => true,
      shown: [],
      atOtherDates: () => [],
    }
    expect(unreached(asked, offering).join(' ')).toMatch(/"[^"]*300[^"]*" was not used: a plan has a budget for all of its days/)
  }
})
