import { LRUCache } from 'lru-cache'
import type { Visitor } from '../../ad-serving/embedded/visitor.ts'
import { LONGEST_USER_AGENT, readUserAgent } from '../../platform/decode/user-agent.ts'

/** What a `User-Agent` says. */
export type Device = Pick<Visitor, 'deviceType' | 'devicePlatform' | 'browser' | 'isBot'>

/** Names of AdCP enums/device-platform.json by those of the parser. */
const PLATFORMS: Readonly<Record<string, Device['devicePlatform']>> = {
  iOS: 'ios',
  Android: 'android',
  Windows: 'windows',
  macOS: 'macos',
  Linux: 'linux',
  'Chrome OS': 'chromeos',
  Tizen: 'tizen',
  WebOS: 'webos',
  Roku: 'roku_os',
}

/** Most visits come with one of a few thousand. */
const REMEMBERED = 5_000

/** Reads `User-Agent` headers; remembers the last ones, since reading costs more than a decision. */
export function deviceReader(): (userAgent: string | undefined) => Device {
  const known = new LRUCache<string, Device>({ max: REMEMBERED })
  return (userAgent = '') => {
    const text = userAgent.slice(0, LONGEST_USER_AGENT)
    const remembered = known.get(text)
    if (remembered) return remembered
    const device = read(text)
    known.set(text, device)
    return device
  }
}

function read(userAgent: string): Device {
  // No browser leaves the header out.
  if (userAgent === '') return { deviceType: 'unknown', devicePlatform: 'unknown', browser: '', isBot: true }
  const { browser, system, platform, isBot } = readUserAgent(userAgent)
  return {
    deviceType: deviceType(platform),
    devicePlatform: PLATFORMS[system] ?? 'unknown',
    browser: browser.toLowerCase(),
    isBot,
  }
}

function deviceType(type: string | undefined): Device['deviceType'] {
  switch (type) {
    case 'mobile':
    case 'tablet':
    case 'desktop':
      return type
    case 'tv':
      return 'ctv'
    default:
      return 'unknown'
  }
}
