/** Person number so many of a page, whose uuid begins with the number of the page. About 1.16 KB as JSON. */
export function personOf(index, more = 0) {
  const number = String(index).padStart(12, '0');
  const uuid = `00000000-0000-7000-8000-${number}`;
  const email = `ada.${index}@example.com`;
  const url = `https://app.example.com/projects/${index}/dashboard?tab=usage&utm_source=newsletter`;
  return {
    id: uuid,
    name: email,
    distinct_ids: [`0190a5c6-7a1b-7c3d-8e4f-${number}`, email],
    properties: {
      email,
      name: ['José Müller, Jr.', "Ada O'Neil", 'Li García'][index % 3],
      plan: ['free', 'scale', 'enterprise'][index % 3],
      seats: index % 500,
      is_admin: index % 5 === 0,
      mrr: (index % 100_000) / 100,
      company: { id: index, name: 'Müller & Sons "GmbH"', industry: 'saas', tags: ['a', 'churn-risk'] },
      $os: 'Mac OS X',
      $browser: 'Chrome',
      $browser_version: 100 + (index % 30),
      $device_type: 'Desktop',
      $current_url: url,
      $pathname: '/projects/dashboard',
      $referrer: 'https://www.google.com/',
      $referring_domain: 'www.google.com',
      $geoip_city_name: 'São Paulo',
      $geoip_country_code: 'BR',
      $geoip_latitude: 52.5244,
      $geoip_time_zone: 'Europe/Berlin',
      $initial_os: 'Linux',
      $initial_browser: 'Chrome',
      $initial_current_url: url,
      $initial_referrer: '$direct',
      $creator_event_uuid: `0190a5c6-7a1b-7c3d-9e4f-${number}`,
      notes: ['', 'line one\nline two', 'said "hi", left'][index % 3],
      ...(more > 0 && { $raw: 'said "ä", left. '.repeat(Math.ceil(more / 18)) }),
    },
    created_at: '2026-01-02T12:34:56.789000Z',
    uuid,
    last_seen_at: null,
  };
}
