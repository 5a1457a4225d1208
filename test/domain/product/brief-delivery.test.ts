import { expect, test } from 'vitest'
import { readBrief } from '../../../src/domain/product/brief.ts'

test.each([
  ['EUR 20,000, sports in Norway, guaranteed only', 'guaranteed'],
  ['only guaranteed inventory in Sweden', 'guaranteed'],
  ['nur garantierte Lieferung', 'guaranteed'],
  ['sports, no auctions', 'guaranteed'],
  ['programmatic only, sports', 'non_guaranteed'],
  ['exclusively non-guaranteed', 'non_guaranteed'],
  ['guaranteed delivery of 100,000 impressions in Sweden only', undefined],
  ['guaranteed sports video and programmatic display', undefined],
])('"%s" wants %s delivery alone', (text, delivery) => {
  expect(readBrief(text).hints.delivery).toBe(delivery)
})
