import { describe, expect, it } from 'vitest'
import { formParts } from '../../../src/platform/decode/multipart.ts'
import { growsTooFast } from '../../support/growth.ts'

const TYPE = 'multipart/form-data; boundary=b'
const read = (body: string | Buffer, type = TYPE) =>
  [...formParts(Buffer.from(body), type)].map(({ name, fileName, bytes }) => [name, fileName, bytes.toString()])
const part = (name: string, value: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`

describe('multipart forms', () => {
  it('are read as Node writes them, file and all', async () => {
    const form = new FormData()
    form.append('csrf', 'tøken')
    form.append('empty', '')
    form.append('two "quotes"\r\n', 'a\r\n--b')
    form.append('file', new Blob(['1,2\r\n']), 'table "1".csv')
    const sent = new Response(form)
    const body = Buffer.from(await sent.arrayBuffer())
    expect(read(body, sent.headers.get('content-type') ?? '')).toEqual([
      ['csrf', undefined, 'tøken'],
      ['empty', undefined, ''],
      ['two "quotes"\r\n', undefined, 'a\r\n--b'],
      ['file', 'table "1".csv', '1,2\r\n'],
    ])
  })

  it('give their first part before the rest is looked at', () => {
    const [first] = formParts(Buffer.from(`${part('csrf', 'x')}--b\r\nno headers`), TYPE)
    expect(first?.name).toBe('csrf')
  })

  it.each([
    ['nothing', '', 'does not begin with its boundary'],
    ['a body that ends early', part('a', 'b'), 'has a part without'],
    ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\n\r\n--b--', 'has a part without a name'],
    ['long headers', part('a', 'b', `; x="${'y'.repeat(3_000)}"`), 'more than 2048 bytes'],
    ['many parts', `${part('a', '').repeat(5_001)}--b--`, 'more than 5000 parts'],
  ])('are refused: %s', (_, body, message) => {
    expect(() => read(body)).toThrow(message)
  })

  it.each<readonly [string, (n: number) => string]>([
    ['parts of nothing', (n) => '--b\r\n\r\n\r\n'.repeat(n / 9)],
    ['boundaries', (n) => '--b\r\n'.repeat(n / 5)],
    ['headers', (n) => `--b\r\n${'a: b\r\n'.repeat(n / 6)}`],
    ['what begins like a boundary', (n) => part('a', '\r\n--'.repeat(n / 4))],
  ])('take time in proportion to what they hold: %s', (_, make) => {
    const work = (body: string) => {
      try {
        read(body)
      } catch {}
    }
    expect(growsTooFast(make, work, 400_000)).toBe(false)
  })
})
