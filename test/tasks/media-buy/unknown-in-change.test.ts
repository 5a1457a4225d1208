import { expect, it } from 'vitest'
import { unknownInChange } from '../../../src/tasks/media-buy/unknown-in-order.ts'

it.each([{ brand: { domain: 'brand.example' }, operator: 'x' }, [], 7, null])(
  'a media buy that is no text is not looked for: %j',
  async (id) => {
    expect(await unknownInChange({ media_buy_id: id as never }, {} as never)).toEqual([])
  },
)
