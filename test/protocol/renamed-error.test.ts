import { expect, it } from 'vitest'
import { AdcpError } from '../../src/protocol/errors.ts'
import { renamedError } from '../../src/protocol/renamed-error.ts'

const NAMES = { 'packages[].bid_price': 'purchases[].bidding', packages: 'purchases' }

it.each([
  ['packages[0].bid_price', 'purchases[0].bidding', '/packages/0/bid_price', '/purchases/0/bidding'],
  ['packages[12].budget', 'purchases[12].budget', '/packages/12/budget', '/purchases/12/budget'],
  [
    'packages[0].targeting_overlay.keyword_targets[0].bid_price',
    'purchases[0].targeting_overlay.keyword_targets[0].bid_price',
    '/packages/0/targeting_overlay/keyword_targets/0/bid_price',
    '/purchases/0/targeting_overlay/keyword_targets/0/bid_price',
  ],
])('%s is %s to who sent purchases', (field, other, pointer, otherPointer) => {
  const issues = [{ pointer, message: 'is wrong', keyword: 'type' }]
  const error = new AdcpError('INVALID_REQUEST', `${field} is wrong; send packages[].bid_price`, { field, issues })
  const renamed = renamedError(error, NAMES)
  expect([renamed.field, renamed.message]).toEqual([other, `${other} is wrong; send purchases[].bidding`])
  expect(renamed.issues?.map((issue) => issue.pointer)).toEqual([otherPointer])
})
