import { expect, test } from 'vitest'
import { openManual, PRODUCTS } from '../under-test/manual.ts'

test('wrong options are refused with what belongs there', async () => {
  await expect(openManual({ products: {} })).rejects.toThrow(
    'options.products must NOT have fewer than 1 properties; such as {"products"',
  )
  await expect(openManual({ products: PRODUCTS, url: 'x' })).rejects.toThrow('options must NOT have additional properties')
})
