import type { CreativeContent } from '../../ad-serving/embedded/line.ts'
import { escapeHtml, escapeScript } from '../../domain/creative/macros/encode.ts'
import type { Macros } from '../../domain/creative/macros/fill.ts'
import { fillMarkup, fillScript } from '../../domain/creative/macros/fill-markup.ts'
import { headContentStart } from '../../platform/decode/html-head.ts'

/**
 * What code of an advertiser may do, wherever its document is opened: `sandbox` without allow-same-origin gives it an origin of its own, so that it
 * reaches neither the page nor this server's cookies (CSP Level 3, 6.3.2; HTML, 7.1.5).
 */
export const FRAME_POLICY = policyFor('https:')

/** The same for files of an HTML5 bundle, which load each other from `origin`, over plain HTTP in development. */
export function bundlePolicy(origin: string): string {
  return policyFor(`https: ${origin}`)
}

function policyFor(sources: string): string {
  return (
    `sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; default-src 'none'; script-src 'unsafe-inline' ${sources}; ` +
    `style-src 'unsafe-inline' ${sources}; img-src ${sources} data:; media-src ${sources} data:; font-src ${sources} data:; connect-src ${sources}; ` +
    `frame-src ${sources}; base-uri 'self'; form-action 'none'; frame-ancestors *`
  )
}

/**
 * Features of a browser that no ad gets (Permissions Policy, 4). `bluetooth` is not among them: Chromium warns of it in every frame where it has none, and documents
 * without an origin, as these are, get no device (Web Bluetooth, 4).
 */
export const FRAME_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** The document of an ad that is code: links open beside the page, and `clickTag` is the address that counts a click (IAB HTML5 guidelines). */
export function frameDocument(content: Extract<CreativeContent, { kind: 'html' | 'script' }>, macros: Macros): string {
  const click = macros.CLICK_URL ?? ''
  const head =
    `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"><style>html,body{margin:0;overflow:hidden}</style>` +
    `<script>var clickTag="${escapeScript(click)}"</script></head><body>`
  if (content.kind === 'html') return head + fillMarkup(content.html, macros)
  if (content.src !== undefined) return `${head}<script src="${escapeHtml(content.src)}"></script>`
  // A closing tag inside a script would end it early.
  return `${head}<script>${fillScript(content.code ?? '', macros).replace(/<\/script/gi, '<\\/script')}</script>`
}

/**
 * The page of an HTML5 bundle: its own files are found below `base`, and `clickTag` is the address that counts a click, also where the page gives it a value of its
 * own while it loads (IAB HTML5 guidelines).
 */
export function bundleDocument(page: string, { base, click }: { readonly base: string; readonly click: string }): string {
  const set = `window.clickTag=window.clickTAG="${escapeScript(click)}"`
  const added = `<base href="${escapeHtml(base)}" target="_blank"><script>${set};addEventListener("DOMContentLoaded",()=>{${set}})</script>`
  const at = headContentStart(page)
  return at === undefined ? `<!doctype html>${added}${page}` : page.slice(0, at) + added + page.slice(at)
}

/**
 * An ad that is paid by the click: its code runs in `frame` without popups, below a link to `click` that takes every click, so that none leads to the advertiser without
 * being counted.
 */
export function coveredDocument({ frame, click }: { readonly frame: string; readonly click: string }): string {
  return (
    `<!doctype html><html><head><meta charset="utf-8"><style>html,body{margin:0;overflow:hidden}` +
    `iframe{border:0;display:block;width:100vw;height:100vh}a{position:fixed;inset:0}</style></head><body>` +
    `<iframe title="Advertisement" tabindex="-1" sandbox="allow-scripts" referrerpolicy="no-referrer" src="${escapeHtml(frame)}"></iframe>` +
    `<a href="${escapeHtml(click)}" target="_blank" rel="noopener sponsored" aria-label="Advertisement"></a></body></html>`
  )
}
