import type { Copy } from './copy.ts'

/** A native ad as the response object of OpenRTB Native 1.2 (§5), for exchanges that take the ad rather than its parts. */
export function nativeJson(copy: Copy): string {
  // Asset types of OpenRTB Native 1.2, §7.4: 1 sponsored, 2 description, 12 call to action; image type 3 is the main one.
  const data = (id: number, type: number, value: string | undefined) =>
    value === undefined ? [] : [{ id, data: { type, value } }]
  return JSON.stringify({
    ver: '1.2',
    assets: [
      ...(copy.headline === undefined ? [] : [{ id: 1, required: 1, title: { text: copy.headline } }]),
      ...(copy.image ? [{ id: 2, img: { type: 3, url: copy.image.url } }] : []),
      ...data(3, 2, copy.body),
      ...data(4, 12, copy.cta),
      ...data(5, 1, copy.sponsor),
    ],
    ...(copy.clickUrl !== undefined && { link: { url: copy.clickUrl } }),
    ...(copy.trackers.length > 0 && { eventtrackers: copy.trackers.map((url) => ({ event: 1, method: 1, url })) }),
  })
}
