import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'
import { CONSOLE, doneMessage, type PersonCall, type TenantCall } from './route.ts'

/** The pages of a publisher, in the order of the menu. */
const MENU: readonly (readonly [path: string, title: string])[] = [
  ['/home', 'Home'],
  ['/inbox', 'Inbox'],
  ['/orders', 'Orders'],
  ['/creatives', 'Creatives'],
  ['/products', 'Products'],
  ['/buyers', 'Buyers and keys'],
  ['/connections', 'Connections'],
  ['/reports', 'Reports'],
  ['/billing', 'Billing'],
  ['/activity', 'Activity'],
  ['/webhooks', 'Webhooks'],
  ['/directory', 'Directory'],
  ['/people', 'People'],
  ['/notifications', 'Notifications'],
  ['/settings', 'Settings'],
]

interface Document {
  readonly assets: Assets
  readonly title: string
  readonly charts?: boolean | undefined
  readonly passkeys?: boolean | undefined
}

/** A page for somebody who is not signed in: one card in the middle. */
export function plainDocument(document: Document, body: Html): Html {
  return wholeDocument(document, html`<main class="card-page" id="content">${body}</main>`)
}

/** What the frame of a publisher's page shows and follows. */
export interface Now {
  /** Number of open decisions. */
  readonly waiting: number
  /** Mark of the newest change when the page was made: the page follows what comes after. */
  readonly newest: string
  /** Address of the events that the page follows in place of the publisher's changes. */
  readonly live?: string | undefined
}

/** A page of somebody who is signed in. */
export function personDocument(
  document: Document,
  call: PersonCall | TenantCall,
  body: Html,
  { waiting, newest, live }: Now,
): Html {
  const done = doneMessage(call.query)
  // The answer to a form shows a key once, or a step of an import: what its address has by GET is something else.
  const isLive = 'tenant' in call && !call.isForm
  return wholeDocument(
    document,
    html`<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
<header class="side">
<a class="brand" href="${CONSOLE}"><span class="mark" aria-hidden="true"></span>${'tenant' in call ? call.tenant.name : 'Sales agent'}</a>
${'tenant' in call && html`<nav aria-label="Pages"><ul>${menu(call, waiting)}</ul></nav>`}
${personMenu(call)}
</header>
<main id="content" tabindex="-1" data-live="${isLive && (live ?? `${call.base}/live?after=${newest}`)}">
${done !== undefined && html`<p class="notice good" role="status">${done}</p>`}
${body}
</main>
</div>`,
  )
}

function menu({ base, path }: TenantCall, waiting: number): Html[] {
  return MENU.map(([target, title]) => {
    // Direct orders are orders.
    const here = target === '/orders' ? ['/orders', '/direct-orders'] : [target]
    const isHere = here.some((each) => path === base + each || path.startsWith(`${base}${each}/`))
    const count =
      target === '/inbox' && html`<span id="waiting">${waiting > 0 && html` <span class="count">${waiting}</span>`}</span>`
    return html`<li><a href="${base}${target}"${isHere && html` aria-current="page"`}>${title}${count}</a></li>`
  })
}

function personMenu({ person, tenants, csrf }: PersonCall): Html {
  return html`<div class="who">
${tenants.length > 1 && html`<a href="${CONSOLE}/publishers">Other publishers</a>`}
<a href="${CONSOLE}/account">${person.name}</a>
<form method="post" action="${CONSOLE}/sign-out"><input type="hidden" name="csrf" value="${csrf}"><button class="link">Sign out</button></form>
</div>`
}

function wholeDocument({ assets, title, charts, passkeys }: Document, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="includeIndicatorCSS:false">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.path('console.css')}">
${charts === true && html`<link rel="stylesheet" href="${assets.path('uplot.css')}">`}
<script src="${assets.path('htmx.js')}" defer></script>
<script src="${assets.path('console.js')}" defer></script>
${charts === true && html`<script src="${assets.path('uplot.js')}" defer></script><script src="${assets.path('charts.js')}" defer></script>`}
${passkeys === true && html`<script src="${assets.path('passkeys.js')}" defer></script>`}
</head>
<body>
${body}
</body>
</html>
`
}
