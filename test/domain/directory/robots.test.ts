import { describe, expect, it } from 'vitest'
import { robotsAllow } from '../../../src/domain/directory/robots.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'

const PATH = '/.well-known/adagents.json'

describe('robots.txt (RFC 9309)', () => {
  it.each([
    ['', true],
    ['User-agent: *\nDisallow: /', false],
    ['User-agent: *\nDisallow:', true],
    ['User-agent: *\nDisallow: /private', true],
    ['User-agent: other\nDisallow: /', true],
    ['user-agent: ADCP-Sales-Agent-Directory # this one\r\nDISALLOW: /.well-known/', false],
    ['User-agent: *\nDisallow: /\n\nUser-agent: adcp-sales-agent-directory\nAllow: /', true],
    ['User-agent: adcp-sales-agent-directory\nDisallow: /\n\nUser-agent: *\nAllow: /', false],
    ['User-agent: other\nUser-agent: adcp-sales-agent-directory\nDisallow: /', false],
    ['User-agent: *\nDisallow: /\nAllow: /.well-known/', true],
    ['User-agent: *\nAllow: /\nDisallow: /.well-known/*.json$', false],
    ['User-agent: *\nDisallow: /*.xml$', true],
    ['User-agent: *\nDisallow: /.well-known$', true],
    ['\uFEFFUser-agent: *\nDisallow: /*adagents', false],
    ['<html>no robots here</html>', true],
  ])('%j allows: %s', (text, allowed) => expect(atOnce(robotsAllow(text, PATH))).toBe(allowed))
})
