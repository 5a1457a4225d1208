import { expect, test } from 'vitest'
import { requireConsistent } from '../../../src/domain/product/targeting.ts'

const window = { days: ['monday' as const], start_hour: 8, end_hour: 10 }
const check = (timezone?: string) =>
  requireConsistent(
    { daypart_targets: [window, { ...window, ...(timezone !== undefined && { timezone }) }] },
    'targeting_overlay',
  )

test('hours of the inventory are taken, said or not', () => {
  expect(() => check()).not.toThrow()
  expect(() => check('inventory_local')).not.toThrow()
})

test('hours of another zone are refused with the field and what to send', () => {
  expect(() => check('America/New_York')).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED_FEATURE',
      field: 'targeting_overlay.daypart_targets[1].timezone',
      message:
        'targeting_overlay.daypart_targets[1].timezone is "America/New_York"; hours are those of the place of the ad: leave it out, or send "inventory_local"',
    }),
  )
})
