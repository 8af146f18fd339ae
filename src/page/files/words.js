'use strict';
/* words.js: the languages of the studio. English texts are the keys; another language is one table here. */

const WORDS = {
    de: {
        'Curves': 'Kurven', 'Diagram': 'Diagramm', 'Icon': 'Symbol', 'Source': 'Quelltext', 'Documentation': 'Dokumentation', 'Animation': 'Animation', 'Compare': 'Vergleich', 'Structure': 'Struktur', 'Messages': 'Meldungen',
        'Models': 'Modelle', 'Libraries': 'Bibliotheken', 'Variables': 'Variablen', 'Parameters': 'Parameter', 'Runs': 'Läufe', 'Run': 'Start', 'Cancel': 'Abbrechen', 'live': 'sofort', 'from': 'von', 'to': 'bis', 'tolerance': 'Toleranz',
        'intervals': 'Intervalle', 'solver': 'Verfahren', 'chosen by the model': 'nach dem Modell gewählt', 'the model as FMU': 'das Modell als FMU', 'export …': 'exportieren …', 'restore all': 'alle zurücksetzen', 'over': 'über', 'time': 'Zeit',
        'events': 'Ereignisse', 'Show all': 'Alles zeigen', 'Check': 'Prüfen', 'Save': 'Speichern', 'clear': 'leeren', 'Search': 'Suchen', 'Search: words, or * and ?': 'Suchen: Wörter, oder * und ?', 'Search all libraries': 'Alle Bibliotheken durchsuchen',
        'light or dark': 'hell oder dunkel', 'a new model': 'ein neues Modell', 'search models': 'Modelle suchen', 'search variables': 'Variablen suchen', 'search parameters': 'Parameter suchen', 'source': 'Quelltext',
        'run again whenever a value changes': 'neu rechnen, sobald sich ein Wert ändert', 'Undo': 'Rückgängig', 'Redo': 'Wiederholen', 'Rotate': 'Drehen', 'Mirror': 'Spiegeln', 'Delete': 'Löschen', 'Fit': 'Einpassen', 'Parameters …': 'Parameter …',
        'Zoom in': 'Größer', 'Zoom out': 'Kleiner', 'Nothing to draw: the class has no graphics and no placed components.': 'Nichts zu zeichnen: die Klasse hat keine Grafik und keine platzierten Komponenten.',
        'Drag components here from the libraries, or double-click them there.': 'Komponenten aus den Bibliotheken hierher ziehen, oder dort doppelt anklicken.',
        'read only': 'nur lesbar', 'saved': 'gespeichert', 'Choose a model on the left.': 'Links ein Modell wählen.', 'Choose a class.': 'Eine Klasse wählen.', 'Name': 'Name', 'Value': 'Wert', 'Description': 'Beschreibung', 'Unit': 'Einheit', 'Type': 'Typ',
        'Apply': 'Übernehmen', 'Close': 'Schließen', 'General': 'Allgemein', 'Connectors': 'Anschlüsse', 'Equations': 'Gleichungen', 'Extends': 'Erweitert', 'Revisions': 'Änderungen', 'Back': 'Zurück', 'Forward': 'Vor', 'Classes': 'Klassen',
        'This class has no documentation.': 'Diese Klasse hat keine Dokumentation.', 'add to the diagram': 'ins Diagramm einfügen', 'example': 'Beispiel', 'partial': 'partiell', 'not found': 'nicht gefunden', 'nothing found': 'nichts gefunden',
        'Extend': 'Erweitern', 'a new model that extends this class': 'ein neues Modell, das diese Klasse erweitert', 'Name of the new model': 'Name des neuen Modells', 'panels': 'Bereiche', 'run settings': 'Lauf-Einstellungen',
        'is inherited, and can be changed where it is declared': 'ist geerbt und kann dort geändert werden, wo es deklariert ist', 'this class is read-only: extend it to change it': 'diese Klasse ist nur lesbar: zum Ändern erweitern',
        'nothing to undo': 'nichts rückgängig zu machen', 'nothing to redo': 'nichts zu wiederholen', 'cannot be connected': 'nicht verbindbar', 'the values of the class': 'die Werte der Klasse', 'play': 'abspielen', 'pause': 'anhalten',
        'none yet': 'noch keine', 'No run yet.': 'Noch kein Lauf.', 'Choose variables on the left.': 'Links Variablen wählen.', 'translating': 'übersetzen', 'not saved': 'nicht gespeichert', 'keep': 'behalten', 'kept': 'behalten ✓', 'language': 'Sprache',
        'Nothing to say.': 'Nichts zu sagen.', 'Keep a run, change something, and run again: then two runs can be compared.': 'Einen Lauf behalten, etwas ändern, neu rechnen: dann sind zwei Läufe zu vergleichen.',
        'This model has nothing to animate: visualizers of MultiBody are shown here.': 'Dieses Modell hat nichts zu animieren: hier erscheinen die Körper von MultiBody.', 'follow': 'folgen', 'pictures': 'Bilder', 'speed': 'Tempo',
    },
};

let language = localStorage.getItem('acausal-language') || ((navigator.language || 'en').slice(0, 2) in WORDS ? navigator.language.slice(0, 2) : 'en');

function t(text) {
    return WORDS[language] && WORDS[language][text] || text;
}

/* The texts that the page came with. */
function translatePage(root) {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) if (t(walk.currentNode.data.trim()) !== walk.currentNode.data.trim()) found.push(walk.currentNode);
    for (const n of found) n.data = n.data.replace(n.data.trim(), t(n.data.trim()));
    for (const name of ['title', 'placeholder', 'aria-label'])
        for (const e of root.querySelectorAll('[' + name + ']')) e.setAttribute(name, t(e.getAttribute(name)));
}

function startLanguage(button) {
    document.documentElement.lang = language;
    button.textContent = language.toUpperCase();
    button.addEventListener('click', () => {
        const all = ['en', ...Object.keys(WORDS)];
        localStorage.setItem('acausal-language', all[(all.indexOf(language) + 1) % all.length]);
        location.reload();
    });
    if (language !== 'en') translatePage(document.body);
}
