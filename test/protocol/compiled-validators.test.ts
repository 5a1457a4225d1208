import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { CompiledValidators } from '../../src/protocol/compiled-validators.ts'
import { compileValidators } from '../../tools/contracts/compile-validators.ts'
import { writeValidators } from '../../tools/contracts/write-validators.ts'

const folder = mkdtempSync(join(tmpdir(), 'compiled-validators-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const document = (name: string, other: string) => ({
  $id: `/schemas/9.9/${name}.json`,
  type: 'object',
  properties: { [name]: { type: 'string' }, other: { $ref: `/schemas/9.9/${other}.json` } },
})

it('modules that load each other are read one in a step, and then a validator runs them', () => {
  const documents = new Map([
    ['a.json', document('a', 'b')],
    ['b.json', document('b', 'c')],
    ['c.json', document('c', 'a')],
  ])
  writeValidators(folder, compileValidators(documents, ['a.json']))
  const validators = new CompiledValidators(folder)
  const first = validators.read('a.json')
  first.next()
  // Another call that needs the same meanwhile.
  expect([...validators.read('a.json')]).toHaveLength(3)
  const validate = validators.validator('a.json')
  expect([...first]).toEqual([])
  expect([...validators.read('a.json')]).toEqual([])
  expect(validate?.({ a: 'x', other: { b: 'x', other: { c: 'x', other: { a: 'x' } } } })).toBe(true)
  expect(validate?.({ a: 'x', other: { b: 'x', other: { c: 'x', other: { a: 7 } } } })).toBe(false)
  expect([...validators.read('none.json')]).toEqual([])
})
