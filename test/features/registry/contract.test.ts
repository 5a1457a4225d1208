import { describe, expect, it } from 'vitest'
import { operationsOf } from '../../../src/features/registry/contract.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const LOOKUP = {
  operationId: 'look',
  summary: 'Looks',
  'x-rate': 'read',
  parameters: [{ name: 'domain', in: 'query', required: true, schema: { type: 'string' } }],
  responses: { 200: json({ type: 'object' }), 304: { description: 'as it was' } },
}
const documentOf = (operation: object) => ({ paths: { '/api/{name}': { get: operation } }, components: { schemas: {} } })

describe('the operations of a description', () => {
  it('are read with the schemas of their arguments and answers', () => {
    const [operation] = operationsOf(documentOf(LOOKUP))
    expect(operation).toMatchObject({
      id: 'look',
      method: 'GET',
      hasBody: false,
      needsIdentity: false,
      rate: 'read',
      tool: undefined,
      argumentsSchema: { required: ['domain'], properties: { domain: { type: 'string' } } },
    })
    expect('/api/x'.match(operation?.path ?? '')?.[1]).toBe('x')
    expect([...(operation?.answers ?? [])]).toEqual([[200, { type: 'object', components: { schemas: {} } }]])
  })

  it.each([
    ['operationId', { ...LOOKUP, operationId: 7 }],
    ['parameters', { ...LOOKUP, parameters: undefined }],
    ['path or query', { ...LOOKUP, parameters: [{ ...LOOKUP.parameters[0], in: 'header' }] }],
    ['read or resolve', { ...LOOKUP, 'x-rate': 'often' }],
    ['schema', { ...LOOKUP, requestBody: { content: { 'application/json': {} } } }],
  ])('are refused when %s cannot be read', (name, operation) => {
    expect(() => operationsOf(documentOf(operation))).toThrow(name)
  })
})
