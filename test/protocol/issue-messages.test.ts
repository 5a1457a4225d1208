import { expect, test } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { describeIssues } from '../../src/protocol/describe-issues.ts'
import { instead } from '../../src/protocol/nearest-name.ts'

const root = loadContracts().base.schemas.requestPlace('list_accounts')

const described = (keyword: string, request: unknown, instancePath = '') => {
  if (!root) throw new Error('list_accounts has no request schema')
  return describeIssues([{ keyword, instancePath, schemaPath: '#', params: {}, message: 'must NOT be valid' }], request, root)
}

test('what a schema excludes is said by the members that were sent', () => {
  const [issue] = described('not', { status: 'active', sandbox: true })
  expect(issue?.message).toBe('has members that exclude each other, or lacks one that the others need; sent: status, sandbox')
  expect(described('not', { status: 'x' }, '/status')[0]?.message).toBe('must not be "x"')
})

test('a union whose forms have no names of their own lists none', () => {
  const [issue] = described('anyOf', { status: 'active' })
  expect(issue?.message).toBe('combines members that do not go together; sent: status')
})

test('a name that is not near any gets those of many that share its words', () => {
  const known = [
    'sports_preroll_q2',
    'sport_display',
    'ctv_sports_live',
    'ros_display',
    'uk_video',
    'kitchen_video',
    'a',
    'b',
    'c',
  ]
  expect(instead('premium_sports_video', known, 'elsewhere')).toBe(
    '; nearest: "sports_preroll_q2", "sport_display", "ctv_sports_live", "uk_video", "kitchen_video"',
  )
  expect(instead('zzz', known, 'get_products lists them')).toBe('; get_products lists them')
  expect(instead('sport_displya', known, 'elsewhere')).toBe('; did you mean "sport_display"?')
  expect(instead('premium_sports', ['sports', 'news'], 'elsewhere')).toBe('; there is: sports, news')
})
