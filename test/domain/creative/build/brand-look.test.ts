import { expect, test } from 'vitest'
import { brandOfDomain, brandOfFile } from '../../../../src/domain/creative/build/brand-look.ts'

test('a domain gives a name, a file a better one and a colour', () => {
  expect(brandOfDomain('www.Acme-Outdoor.example')).toEqual({ domain: 'www.acme-outdoor.example', name: 'Acme Outdoor' })
  const plain = brandOfDomain('acme.example')
  expect(
    brandOfFile(plain, { names: [{ de: 'Akme' }, { en: 'Acme Inc.' }], fields: { colors: { primary: '#AA0000' } } }),
  ).toEqual({
    domain: 'acme.example',
    name: 'Acme Inc.',
    accent: '#aa0000',
  })
  expect(brandOfFile(plain, { names: [], fields: { colors: { primary: 'url(javascript:x)' } } })).toEqual(plain)
})
