import { expect, it } from 'vitest'
import { normalDocument, withoutProse } from '../../../src/protocol/contract-files/normal-form.ts'

it('leaves prose out, and keeps members and values of the same names', () => {
  const document = {
    $id: '/schemas/3.1.27/core/product.json',
    title: 'Product',
    'x-entity': 'product',
    properties: {
      title: { type: 'string', description: 'Name', examples: ['a'] },
      description: { const: { title: 'kept' } },
      examples: { type: 'array', items: { $comment: 'said to people', enum: ['title'], 'x-status': {} } },
    },
    default: { description: 'kept' },
  }
  const properties = {
    title: { type: 'string' },
    description: { const: { title: 'kept' } },
    examples: { type: 'array', items: { enum: ['title'] } },
  }
  expect(withoutProse(document)).toEqual({ $id: document.$id, properties, default: { description: 'kept' } })
  expect(normalDocument('3.1', 'core/product.json', document)).toEqual({
    $id: '/schemas/3.1/core/product.json',
    properties,
    default: { description: 'kept' },
  })
})

it.each([
  ['error.json', '/schemas/3.2/core/error.json'],
  ['../enums/status.json#/oneOf/0', '/schemas/3.2/enums/status.json#/oneOf/0'],
  ['/schemas/3.2.4/enums/status.json', '/schemas/3.2/enums/status.json'],
  ['https://adcontextprotocol.org/schemas/3.2.4/enums/status.json', '/schemas/3.2/enums/status.json'],
  ['/schemas/enums/status.json', '/schemas/3.2/enums/status.json'],
  ['#/definitions/id', '#/definitions/id'],
])('refers to %s as %s', (published, normal) => {
  expect(normalDocument('3.2', 'core/product.json', { allOf: [{ $ref: published }] }).allOf).toEqual([{ $ref: normal }])
})
