import { describe, expect, it } from 'vitest'
import { addressBucket, clientAddress } from '../../../src/platform/net/client-address.ts'

describe('client address', () => {
  it.each([
    ['198.51.100.7', '1.2.3.4', [], '198.51.100.7'],
    ['10.0.0.1', '1.2.3.4', ['10.0.0.0/8'], '1.2.3.4'],
    ['10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', ['10.0.0.0/8'], '1.2.3.4'],
    ['::ffff:10.0.0.1', '2001:db8::7', ['10.0.0.1'], '2001:db8::7'],
    ['10.0.0.1', 'nonsense', ['10.0.0.1'], '10.0.0.1'],
    ['10.0.0.1', undefined, ['10.0.0.1'], '10.0.0.1'],
    [undefined, '1.2.3.4', ['10.0.0.1'], ''],
  ])('peer %s with %s behind %j is %s', (peer, forwarded, proxies, address) => {
    expect(clientAddress(peer, forwarded, proxies)).toBe(address)
  })

  it('counts IPv6 by its /64 and IPv4 in IPv6 as IPv4', () => {
    expect(addressBucket('2a00:1450:4001:81b::200e')).toBe(addressBucket('2a00:1450:4001:81b:1:2:3:4'))
    expect(addressBucket('2a00:1450:4001:81c::1')).not.toBe(addressBucket('2a00:1450:4001:81b::1'))
    expect(addressBucket('::ffff:1.2.3.4')).toBe('1.2.3.4')
    expect(addressBucket('')).toBe('unknown')
  })
})
