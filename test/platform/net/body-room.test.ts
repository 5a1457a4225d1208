import { expect, it } from 'vitest'
import { BodyRoom, senderAt } from '../../../src/platform/net/body-room.ts'

const KIB = 1024
const [ada, bob, eve] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(senderAt)

it('large bodies share a room, of which one sender has a share', () => {
  const room = new BodyRoom({ inAll: 300 * KIB, ofSender: 200 * KIB, small: 32 * KIB })
  const [first, second, third] = [ada, ada, bob].map((sender) => room.place(sender ?? senderAt('')))
  expect(first?.grow(150 * KIB)).toBeUndefined()
  expect(second?.grow(60 * KIB)).toBe('address')
  expect(second?.grow(50 * KIB)).toBeUndefined()
  expect(third?.grow(110 * KIB)).toBe('all')
  expect(third?.grow(100 * KIB)).toBeUndefined()
  first?.leave()
  first?.leave()
  expect(third?.grow(200 * KIB)).toBeUndefined()
  expect(second?.grow(100 * KIB)).toBeUndefined()
  expect(room.place(eve ?? senderAt('')).grow(17 * KIB)).toBe('all')
  expect([...room.refusals]).toEqual([
    ['address', 1],
    ['all', 2],
  ])
})

it('small bodies have room of their own, and then that of their sender', () => {
  const room = new BodyRoom({ inAll: 40 * KIB, ofSender: 20 * KIB, small: 32 * KIB })
  const places = Array.from({ length: 4 }, () => room.place(senderAt('192.0.2.1')))
  expect(places.map((place) => place.grow(16 * KIB))).toEqual([undefined, undefined, undefined, 'address'])
  // Another sender has its own share.
  expect(room.place(senderAt('192.0.2.2')).grow(16 * KIB)).toBeUndefined()
  places[0]?.leave()
  expect(places[3]?.grow(16 * KIB)).toBeUndefined()
  // A body that was small gives its place there to others once it is large.
  places[2]?.leave()
  expect(places[1]?.grow(18 * KIB)).toBeUndefined()
  expect(room.place(senderAt('192.0.2.1')).grow(16 * KIB)).toBeUndefined()
})

it('addresses of one IPv6 network are one sender, people and addresses are not', () => {
  const room = new BodyRoom({ inAll: 300 * KIB, ofSender: 100 * KIB, small: 0 })
  expect(room.place(senderAt('2001:db8::1')).grow(80 * KIB)).toBeUndefined()
  expect(room.place(senderAt('2001:db8::2')).grow(80 * KIB)).toBe('address')
  expect(room.place({ kind: 'person', id: '2001:db8:0:0::/64' }).grow(80 * KIB)).toBeUndefined()
})
