import { describe, expect, it } from 'vitest'
import { parseAdagents } from '../../../src/domain/directory/adagents-file.ts'
import { managerDomainOf } from '../../../src/domain/directory/ads-txt.ts'
import { publisherDomain } from '../../../src/domain/directory/publisher-domain.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { parse } from './files.ts'

describe('adagents.json', () => {
  it('is a pointer whenever it names an authoritative_location', () => {
    expect(parse({ authoritative_location: 'https://m.example/a.json', authorized_agents: [] }).kind).toBe('pointer')
  })

  it.each([
    ['http pointer', { authoritative_location: 'http://m.example/a.json' }],
    ['relative pointer', { authoritative_location: '/a.json' }],
    ['pointer with userinfo', { authoritative_location: 'https://u:p@m.example/a.json' }],
    ['list', []],
    ['null', null],
  ])('is unusable as a whole: %s', (_what, document) => expect(parseAdagents(document)).toHaveProperty('reason'))

  it('says of a member that is there that it is no list', () => {
    expect(parseAdagents({ authorized_agents: 3 })).toMatchObject({ reason: 'authorized_agents is not a list' })
  })
})

describe('publisher domains', () => {
  it.each([
    [' HTTPS://Pub.Example/./ ', 'pub.example'],
    ['pub.example.', 'pub.example'],
    ['localhost', 'localhost'],
  ])('%j is %s', (input, domain) => expect(publisherDomain(input)).toBe(domain))

  it.each(['', 'pub example', '-a.example', 'bücher.example', 'pub.example/path', 'a..b', 7, null, `${'a.'.repeat(200)}b`])(
    '%j is none',
    (input) => expect(publisherDomain(input)).toBeUndefined(),
  )
})

describe('ads.txt MANAGERDOMAIN', () => {
  it.each([
    ['MANAGERDOMAIN=m.example', 'm.example'],
    ['\uFEFFmanagerdomain = M.Example \r\n', 'm.example'],
    ['# MANAGERDOMAIN=commented.example', undefined],
    ['MANAGERDOMAIN=first.example\nMANAGERDOMAIN=last.example', 'last.example'],
    ['MANAGERDOMAIN=m.example\nMANAGERDOMAIN=https://x.example/path', 'm.example'],
    ['MANAGERDOMAIN=m.example:8443', undefined],
    ['MANAGERDOMAIN=m.example # our manager', 'm.example'],
    ['MANAGERDOMAIN=m.example#plain', 'm.example'],
    ['MANAGERDOMAIN=m.example # NoAgents please', undefined],
    ['MANAGERDOMAIN=m.example\nMANAGERDOMAIN=x.example #noagents', 'm.example'],
    ['MANAGERDOMAIN=-bad-.example', undefined],
    ['google.com, pub-1, DIRECT', undefined],
    ['', undefined],
  ])('%j names %s', (text, manager) => expect(atOnce(managerDomainOf(text))).toBe(manager))
})
