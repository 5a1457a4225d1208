import { describe, expect, it } from 'vitest'
import { requireReadableList } from '../../../src/ad-serving/embedded/list-address.ts'
import { classifyAddress, classifyHost, isReservedName } from '../../../src/platform/net/reserved-address.ts'

describe('addresses', () => {
  it.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.255.255.255',
      '100.64.0.1',
      '100.127.255.255',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...['192.0.0.1', '192.0.0.192', '192.0.2.9', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.1'],
    ...['203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::7f00:1',
      '::ffff:10.0.0.1',
      '::ffff:a00:1',
      '::ffff:0:a00:1',
      '64:ff9b::1',
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:10::1',
    ],
    ...['2001:db8::1', '2002:a00:1::', '3fff::1', '5f00::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1'],
    ...['fe80::1%eth0', '::1%lo', 'pub.example', '', '010.1.1.1x'],
  ])('%s is reserved', (address) => expect(classifyAddress(address)).toBe('reserved'))

  it.each(['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1'])('%s is loopback', (address) => {
    expect(classifyAddress(address)).toBe('loopback')
  })

  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:1.1.1.1'])(
    '%s is public',
    (address) => expect(classifyAddress(address)).toBe('public'),
  )
})

describe('hosts of URLs', () => {
  it.each([
    ['https://127.0.0.1/', 'loopback'],
    ['https://2130706433/', 'loopback'],
    ['https://[::ffff:7f00:1]/', 'loopback'],
    ['https://[::1]/', 'loopback'],
    ['https://[::ffff:a00:1]/', 'reserved'],
    ['https://10.0.0.1/', 'reserved'],
    ['https://localhost/', 'reserved'],
    ['https://pub.example/', 'public'],
    ['https://[2606:4700::1111]/', 'public'],
  ])('%s is %s', (url, kind) => expect(classifyHost(new URL(url).hostname)).toBe(kind))

  it.each(['https://127.0.0.1/mcp', 'https://[::ffff:7f00:1]/mcp'])(
    'a list at %s is of this machine: for development alone',
    (url) => {
      const refusal = {
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('list.agent_url cannot be read: the host is reserved'),
      }
      expect(() => requireReadableList(url, 'https://seller.example', 'list.agent_url')).toThrow(expect.objectContaining(refusal))
      expect(() => requireReadableList(url, 'http://127.0.0.1:3000', 'list.agent_url')).not.toThrow()
    },
  )

  it.each(['https://10.0.0.1/mcp', 'https://[::ffff:a00:1]/mcp', 'https://lists.internal/mcp'])(
    'a list at %s cannot be read',
    (url) => {
      for (const own of ['https://seller.example', 'http://127.0.0.1:3000'])
        expect(() => requireReadableList(url, own, 'list.agent_url')).toThrow('the host is reserved')
    },
  )
})

describe('names', () => {
  it.each(['localhost', 'LOCALHOST.', 'x.localhost', 'nas.local', 'metadata.google.internal', 'metadata.', ''])(
    '%j is reserved',
    (name) => {
      expect(isReservedName(name)).toBe(true)
    },
  )
  it.each(['pub.example', 'notlocalhost', 'local.example', 'internal.example'])('%s is not', (name) =>
    expect(isReservedName(name)).toBe(false),
  )
})
