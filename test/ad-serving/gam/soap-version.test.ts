import { expect, test } from 'vitest'
import { GAM_SOAP_VERSION, soapVersionWarning } from '../../../src/ad-serving/gam/soap-version.ts'

test.each([
  ['2027-04-30T23:59:59Z', undefined],
  ['2027-05-01T00:00:00Z', 'version v202608 of the SOAP API is served until about 2027-08: set options.soapVersion'],
  ['2027-07-31T00:00:00Z', 'is served until about 2027-08'],
  ['2027-08-01T00:00:00Z', 'is served no longer since about 2027-08'],
  ['2029-01-01T00:00:00Z', 'is served no longer since about 2027-08'],
])('a person is warned of its end: %s', (now, warning) => {
  const found = soapVersionWarning('v202608', new Date(now))
  if (warning === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(warning)
})

test('the version that is used by default has the form of the option', () => {
  expect(GAM_SOAP_VERSION).toMatch(/^v20\d{2}(02|05|08|11)$/)
})
